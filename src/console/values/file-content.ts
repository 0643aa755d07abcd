/** Bytes that came as a data URI, with what they are. */
export interface FileContent {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Told by the bytes; what the sender calls them does not count. */
  readonly type: string;
  readonly name: string;
}

interface Signature {
  readonly type: string;
  readonly starts: readonly (readonly number[])[];
  /** The endings that names of such files have. */
  readonly endings: readonly string[];
}

const text = (letters: string) => Array.from(letters, (letter) => letter.charCodeAt(0));

const signatures: readonly Signature[] = [
  { type: 'image/png', starts: [[0x89, ...text('PNG\r\n\u001a\n')]], endings: ['png'] },
  { type: 'image/jpeg', starts: [[0xff, 0xd8, 0xff]], endings: ['jpg', 'jpeg'] },
  { type: 'image/gif', starts: [text('GIF87a'), text('GIF89a')], endings: ['gif'] },
  { type: 'image/webp', starts: [text('RIFF')], endings: ['webp'] },
  { type: 'application/pdf', starts: [text('%PDF-')], endings: ['pdf'] },
];

/** What bytes begin like; `application/octet-stream` for all that is not shown. */
export function typeOfBytes(bytes: Uint8Array): string {
  const found = signatures.find(({ starts }) => starts.some((start) => start.every((byte, at) => bytes[at] === byte)));
  if (found?.type === 'image/webp' && String.fromCharCode(...bytes.subarray(8, 12)) !== 'WEBP') return octets;
  return found?.type ?? octets;
}

const octets = 'application/octet-stream';

/** Whether a name says that a file is a picture or a PDF, and its bytes are something else. */
export function isMisnamed(name: string, bytes: Uint8Array): boolean {
  const ending = name.split('.').at(-1)?.toLowerCase() ?? '';
  const claimed = signatures.find(({ endings }) => endings.includes(ending));
  return claimed !== undefined && claimed.type !== typeOfBytes(bytes);
}

/** Whether a browser shows the type as a picture. SVG is a document with scripts, and never a picture here. */
export function isPicture(type: string): boolean {
  return type.startsWith('image/');
}

/** Read `data:image/png;name=a.png;base64,…`; `undefined` for another text. */
export function readDataUri(uri: string): FileContent | undefined {
  const match = /^data:[^,]{0,500};base64,/.exec(uri);
  if (!match) return undefined;
  const bytes = bytesOf(uri.slice(match[0].length));
  return bytes && { bytes, type: typeOfBytes(bytes), name: nameIn(match[0]) };
}

/** The name that a data URI gives its file. */
export function nameIn(uri: string): string {
  const name = /^data:[^,]{0,500}?;name=([^;,]*)/.exec(uri)?.[1] ?? '';
  return decoded(name) || 'file';
}

function decoded(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch (error) {
    if (error instanceof URIError) return name;
    throw error;
  }
}

function bytesOf(base64: string): Uint8Array<ArrayBuffer> | undefined {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch (error) {
    if (error instanceof DOMException) return undefined;
    throw error;
  }
}

/** `12 kB`, in the way of the language. */
export function sizeText(bytes: number, language: string): string {
  const [unit, factor] =
    bytes < 1_000 ? ['byte', 1] : bytes < 1_000_000 ? ['kilobyte', 1_000] : ['megabyte', 1_000_000];
  const format = new Intl.NumberFormat(language, { style: 'unit', unit: String(unit), maximumSignificantDigits: 3 });
  return format.format(bytes / Number(factor));
}
