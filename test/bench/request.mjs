export const request = () => [];
