export const triton = () => [];
