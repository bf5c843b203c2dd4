/** An S3-compatible bucket and its credentials. */
export interface BucketAddress {
  /** `https://host:port`. */
  readonly endpoint: string;
  readonly region: string;
  readonly bucket: string;
  /** Prefix of every key: empty, or ending in a slash. */
  readonly prefix: string;
  readonly accessKey: string;
  readonly secretKey: string;
}
