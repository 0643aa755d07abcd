/** Files as the product uses them. Paths are absolute; every failure is a `CloudError` of the family `MACHINE_FILE_…`. */
export interface FileSystem {
  /** The text of a file, or `null` if there is none. */
  readText(path: string): Promise<string | null>;
  readBytes(path: string): Promise<Uint8Array | null>;
  /**
   * The lines of a file, which may be larger than the memory, as many at a time as are read at once. Each has its line feed; the last one
   * may have none. The file must exist.
   */
  readLines(path: string): AsyncIterable<readonly string[]>;
  /** Write the whole file or nothing (a temporary file beside it, then a rename). Creates missing folders. */
  writeAtomically(path: string, content: string | Uint8Array, options?: { readonly mode?: number }): Promise<void>;
  /** Create a file that must not exist yet; false where it does. */
  createExclusively(path: string, content: string, options?: { readonly mode?: number }): Promise<boolean>;
  /** Add to the end of a file, which is created where it is missing; its folder is not. */
  append(path: string, content: string, options?: AppendOptions): Promise<void>;
  /** Open a file to which much is added, one text after the other; `append` opens it each time. The folder must exist. */
  openForAppending(path: string, options?: AppendOptions): Promise<AppendedFile>;
  /** Cut a file off behind its first `bytes`. */
  truncate(path: string, bytes: number): Promise<void>;
  exists(path: string): Promise<boolean>;
  /** Whether there is a folder; false where there is nothing or a file. */
  isFolder(path: string): Promise<boolean>;
  /** Whether a path itself is a link, wherever it leads; false where there is nothing. */
  isLink(path: string): Promise<boolean>;
  /** When a file was last written, in milliseconds since the epoch; `null` if there is none. */
  modifiedAtMs(path: string): Promise<number | null>;
  /** Names in a folder, sorted, or an empty list where there is no folder. */
  list(folder: string): Promise<readonly string[]>;
  /** Every file below a folder, as sorted relative paths with forward slashes. */
  listDeep(folder: string): Promise<readonly string[]>;
  /** Make sure that there is a folder which its owner alone can open; one that is there already becomes such a folder. */
  makePrivateFolder(path: string): Promise<void>;
  /** A fresh folder beside `path`, on the same file system, so that a rename into place is atomic. */
  makeTemporaryFolderBeside(path: string): Promise<string>;
  rename(from: string, to: string): Promise<void>;
  /** Remove a file or a whole folder; silent if there is none. */
  remove(path: string): Promise<void>;
  /** A link to a folder (a junction on Windows). */
  linkFolder(target: string, path: string): Promise<void>;
  /** Make a Node.js program callable by the name of `path` (a link, or a command file on Windows). */
  linkProgram(target: string, path: string): Promise<void>;
}

/** A file that is open at its end. */
export interface AppendedFile {
  append(content: string): Promise<void>;
  close(): Promise<void>;
}

interface AppendOptions {
  readonly mode?: number;
  /** Resolve only when the content outlives a loss of power. Default false. */
  readonly isDurable?: boolean;
}
