/** A file as a data URI carries it. */
export interface UriFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Uint8Array;
  readonly charset?: string;
}
