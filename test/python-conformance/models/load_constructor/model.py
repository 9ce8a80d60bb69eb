class TritonPythonModel:
    def __init__(self):
        raise pb_utils_is_missing
