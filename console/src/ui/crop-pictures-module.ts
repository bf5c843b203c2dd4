declare module 'virtual:crop-pictures' {
  /** Addresses of pictures by the slugs of crops. */
  export const cropPictures: Readonly<Record<string, string>>;
}
