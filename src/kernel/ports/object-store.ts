/**
 * Files by their path, in a folder or in a bucket. A file appears as a whole or not at all. Every failure is a `CloudError` of the family
 * `ARCHIVE_STORE_…`.
 */
export interface ObjectStore {
  /** What people call it. It holds no secret. */
  readonly name: string;
  /** The files whose path begins so, sorted by path. */
  list(prefix: string): Promise<readonly StoredObject[]>;
  /** `null` where there is no such file. */
  readText(path: string): Promise<string | null>;
  /** The bytes from `from` to before `to`, all of them. The file must have them. */
  read(path: string, from: number, to: number): Promise<Uint8Array>;
  /** A file that takes the place of one with the same path when it is complete. */
  create(path: string): Promise<ObjectWriter>;
  /** Silent where there is no such file. */
  remove(path: string): Promise<void>;
}

export interface StoredObject {
  readonly path: string;
  readonly bytes: number;
}

export interface ObjectWriter {
  /** The bytes are copied or written before it resolves. */
  write(bytes: Uint8Array): Promise<void>;
  /** From here on the file is there, also after a loss of power. */
  complete(): Promise<void>;
  /** Leave nothing behind. A file that is complete stays. */
  abort(): Promise<void>;
}
