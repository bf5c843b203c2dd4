interface Photo {
  readonly attachment_url: string;
}

/** Whether the server still works on a photo: its address leads to a placeholder without a picture. */
export const isPending = ({ attachment_url }: Photo): boolean => attachment_url.endsWith('?text=Processing...');

/** Whether there is a photo, which may be laid on the map: not a placeholder. */
export const hasPicture = ({ attachment_url }: Photo): boolean => !attachment_url.includes('/placeholder');
