const pattern = /^data:([^,]*?)(?:;base64),(.*)$/is;
const base64Text = /^[A-Za-z0-9+/]*={0,2}$/;

/** `data:<type>[;name=…][;charset=…];base64,…` as a file; `undefined` when the text is something else. */
export function parseFileUri(text: unknown): UriFile | undefined {
  const [, header, body] = typeof text === 'string' ? (pattern.exec(text) ?? []) : [];
  if (header === undefined || body === undefined || body.length % 4 !== 0 || !base64Text.test(body)) return undefined;
  const [mimeType = '', ...parameters] = header.split(';');
  const values = new Map(parameters.map(parameterOf));
  const charset = values.get('charset');
  return {
    name: values.get('name') ?? 'file',
    mimeType: mimeType || 'application/octet-stream',
    buffer: Buffer.from(body, 'base64'),
    ...(charset === undefined ? {} : { charset }),
  };
}

/** The reverse of `parseFileUri`. */
export function fileUriOf({ name, mimeType, buffer, charset }: UriFile): string {
  const encoding = charset === undefined ? '' : `;charset=${encodeURIComponent(charset)}`;
  return `data:${mimeType};name=${encodeURIComponent(name)}${encoding};base64,${Buffer.from(buffer).toString('base64')}`;
}

function parameterOf(text: string): readonly [string, string] {
  const [name = '', ...value] = text.split('=');
  return [name.trim().toLowerCase(), decoded(value.join('='))];
}

/** Some clients do not encode the name. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** A file as a data URI carries it. */
export interface UriFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Uint8Array;
  readonly charset?: string;
}
