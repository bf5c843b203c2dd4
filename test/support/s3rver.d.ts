declare module 's3rver' {
  interface S3rverOptions {
    readonly address: string;
    readonly port: number;
    readonly silent: boolean;
    readonly directory: string;
    readonly configureBuckets: readonly { readonly name: string; readonly configs: readonly string[] }[];
  }
  interface Store {
    getResourcePath(bucket: string, key: string, part: string): string;
    deleteObject(bucket: string, key: string): Promise<void>;
    listObjects(bucket: string, options: { readonly maxKeys: number }): Promise<unknown>;
  }
  class S3rver {
    readonly store: Store;
    constructor(options: S3rverOptions);
    run(): Promise<unknown>;
    close(): Promise<void>;
  }

  export = S3rver;
}
