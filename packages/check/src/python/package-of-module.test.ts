import { expect, test } from "vitest";
import { packageOfModule } from "./package-of-module.ts";

test.each([
  ["PIL", "pillow"],
  ["cv2", "opencv-python-headless"],
  ["sklearn", "scikit-learn"],
  ["sklearn.svm", "scikit-learn"],
  ["yaml", "pyyaml"],
  ["bs4", "beautifulsoup4"],
  ["dotenv", "python-dotenv"],
  ["faiss", "faiss-cpu"],
  ["sentence_transformers", "sentence-transformers"],
  ["transformers.models.made_up", "transformers"],
  ["google", "protobuf"],
  ["google.protobuf", "protobuf"],
  ["google.cloud.storage", "google-cloud-storage"],
  ["azure.storage.blob", "azure-storage-blob"],
])("%s comes from %s", (module, name) => expect(packageOfModule(module)).toBe(name));
