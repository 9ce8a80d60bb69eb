import { normalPackageName } from "@tritype/core";

/** PyPI packages that provide a module with a different name; if several do, the first one is suggested. */
const packages: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries({
    attr: ["attrs"],
    bs4: ["beautifulsoup4"],
    Crypto: ["pycryptodome", "pycrypto"],
    cv2: [
      "opencv-python-headless",
      "opencv-python",
      "opencv-contrib-python-headless",
      "opencv-contrib-python",
    ],
    dateutil: ["python-dateutil"],
    dns: ["dnspython"],
    docx: ["python-docx"],
    dotenv: ["python-dotenv"],
    faiss: ["faiss-cpu"],
    fitz: ["pymupdf"],
    git: ["gitpython"],
    google: ["protobuf"],
    grpc: ["grpcio"],
    hydra: ["hydra-core"],
    jose: ["python-jose"],
    jwt: ["pyjwt"],
    Levenshtein: ["levenshtein", "python-levenshtein"],
    magic: ["python-magic"],
    MeCab: ["mecab-python3"],
    MySQLdb: ["mysqlclient"],
    nacl: ["pynacl"],
    OpenSSL: ["pyopenssl"],
    PIL: ["pillow", "pillow-simd"],
    pkg_resources: ["setuptools"],
    pptx: ["python-pptx"],
    psycopg2: ["psycopg2-binary", "psycopg2"],
    pythonjsonlogger: ["python-json-logger"],
    serial: ["pyserial"],
    skimage: ["scikit-image"],
    sklearn: ["scikit-learn"],
    slugify: ["python-slugify"],
    snappy: ["python-snappy"],
    umap: ["umap-learn"],
    whisper: ["openai-whisper"],
    yaml: ["pyyaml"],
    zmq: ["pyzmq"],
  }),
);

/** Modules that only hold the modules of other packages, which are named after them: `google-cloud-storage`. */
const namespaces: ReadonlySet<string> = new Set(["azure", "google", "jaraco", "ruamel", "zope"]);

/** The PyPI package that usually provides a module, in pip's notation. @param module `PIL`, `sklearn.svm` */
export const packageOfModule = (module: string): string => {
  const [first = "", second] = module.split(".");
  if (second !== undefined && namespaces.has(first) && second !== "protobuf")
    return normalPackageName(module);
  return packages.get(first)?.[0] ?? normalPackageName(first);
};

/**
 * Whether a package provides a module, according to their names. Variants (`onnxruntime-gpu`) and parts of a namespace
 * (`google-cloud-storage`) count too.
 *
 * @param requirement in pip's notation: `pandas==2.2.2`
 */
export const bringsModule = (requirement: string, module: string): boolean => {
  const name = normalPackageName(/^[\w.-]+/.exec(requirement.trim())?.[0] ?? "");
  const plain = normalPackageName(module);
  return (
    packages.get(module)?.includes(name) === true ||
    [plain, `py${plain}`, `py-${plain}`, `python-${plain}`, `${plain}-python`].includes(name) ||
    name.startsWith(`${plain}-`)
  );
};
