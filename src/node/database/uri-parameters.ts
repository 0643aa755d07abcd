import type { PostgresSslMode } from '#kernel/ports/postgres-pool';

/** What the parameters behind the "?" of a connection URI say; options of the data source count before it. */
export interface UriParameters {
  readonly sslMode?: PostgresSslMode | undefined;
  /** Schemas to read. */
  readonly schemas?: readonly string[] | undefined;
}

/** The words of libpq (`sslmode`) and of the clients of MySQL (`ssl-mode`), in lower case. */
const sslModes: Readonly<Record<string, UriParameters['sslMode']>> = {
  disable: 'disabled',
  disabled: 'disabled',
  allow: 'preferred',
  prefer: 'preferred',
  preferred: 'preferred',
  require: 'required',
  required: 'required',
  'verify-ca': 'verify',
  verify_ca: 'verify',
  'verify-full': 'verify',
  verify_identity: 'verify',
};

/** @throws what `refuse` makes of a parameter that is not known: to pass over one could be to connect in the open. */
export function readUriParameters(query: URLSearchParams, refuse: (message: string) => Error): UriParameters {
  const read: { -readonly [Name in keyof UriParameters]: UriParameters[Name] } = {};
  for (const [name, value] of query) {
    switch (name.toLowerCase()) {
      case 'sslmode':
      case 'ssl-mode':
        if (!Object.hasOwn(sslModes, value.toLowerCase())) {
          throw refuse(`"${name}" is disable, prefer, require or verify-full.`);
        }
        read.sslMode = sslModes[value.toLowerCase()];
        break;
      case 'schema':
        read.schemas = value.split(',').filter((schema) => schema !== '');
        break;
      default:
        throw refuse(`The parameter "${name}" is not known; a connection URI takes sslmode and schema.`);
    }
  }
  return read;
}
