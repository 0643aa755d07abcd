/** The part of the server that tests use; it comes without types. */
declare module '@20minutes/s3rver' {
  import type { RequestListener } from 'node:http';
  import type { Readable } from 'node:stream';

  interface KeptObject {
    readonly content: Readable;
    readonly metadata: Readonly<Record<string, string>>;
  }

  class S3rver {
    constructor(options: {
      readonly directory: string;
      readonly silent: boolean;
      readonly vhostBuckets: boolean;
      readonly allowMismatchedSignatures?: boolean;
      readonly configureBuckets: readonly { readonly name: string }[];
    });
    readonly store: {
      existsObject(bucket: string, key: string): Promise<boolean>;
      getObject(bucket: string, key: string): Promise<KeptObject | undefined>;
      listObjects(bucket: string, options: object): Promise<{ readonly objects: readonly { readonly key: string }[] }>;
    };
    configureBuckets(): Promise<unknown>;
    callback(): RequestListener;
  }

  export = S3rver;
}
