text = "from the neighbour"
