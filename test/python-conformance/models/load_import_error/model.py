import nothing_of_this_name


class TritonPythonModel:
    pass
