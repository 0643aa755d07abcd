/** One of the two servers that speak the protocol of MySQL, whatever the scheme of the connection says. */
export type ServerFlavour = 'mariadb' | 'mysql';

/** What the two do differently, as far as statements and catalogues depend on it. Comments that one of them reads do the rest. */
export interface FlavourTraits {
  /** `INSERT … RETURNING`. */
  readonly returnsCreated: boolean;
  /** Whether the catalogue writes defaults as SQL, texts in quotes. MySQL writes texts bare, and marks expressions. */
  readonly quotesDefaults: boolean;
}

export const flavourTraits: Readonly<Record<ServerFlavour, FlavourTraits>> = {
  mariadb: { returnsCreated: true, quotesDefaults: true },
  mysql: { returnsCreated: false, quotesDefaults: false },
};

/** The server that calls its `version()` so: `10.11.19-MariaDB-deb12`, `9.7.4`. */
export function flavourOf(version: string): ServerFlavour {
  return /mariadb/i.test(version) ? 'mariadb' : 'mysql';
}
