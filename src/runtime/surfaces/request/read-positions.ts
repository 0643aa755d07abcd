import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  type DatabaseReads,
  ReadSession,
  type ReplicatedDatabase,
  unknownPosition,
} from '../../data-sources/interface/read-session.ts';

export const readPositionHeader = 'service-read-position';
/** Of the last write, and of the first read. */
export const readPositionCookies = ['service_read_position', 'service_read_since'] as const;

type Positions = Readonly<Record<string, string>>;

/** The reads of one request, and what its client has to bring along the next time. */
export interface RequestReads {
  readonly session: ReadSession;
  /** To be called when the request is answered, whether or not it was refused. */
  end(outcome: 'done' | 'uncertain'): TellPosition | undefined;
}

/** A position for the client. */
interface TellPosition {
  readonly token: string;
  /** The cookies that hold it. What a slow read tells must not replace what a write has told meanwhile. */
  readonly cookies: readonly string[];
}

interface ReadRequest {
  readonly databases: readonly ReplicatedDatabase[];
  readonly personId: number;
  /** What the client brought along. */
  readonly sent: readonly (string | undefined)[];
  readonly isReading: boolean;
  /** For clients that cannot bring a position along. */
  readonly asksPrimary: boolean;
}

/** People whose last write on this host is remembered. */
const mostPeople = 10_000;
const mostVerified = 1_000;
const mostTokens = 8;
/** No position of ours is longer. */
const longestToken = 4_000;

/**
 * What each person has to see of the databases that have replicas. It travels with the client, signed, so that any host of the
 * environment can read it. A position of another person, of another environment or of nobody counts as none: the primary answers then.
 */
export class ReadPositions {
  readonly #key: Uint8Array;
  /** A client sends the same one until it writes. */
  readonly #verified = new Map<string, { readonly personId: number; readonly positions: Positions }>();
  /** What people have written here with other clients than the one that asks. */
  readonly #written = new Map<number, Map<string, string>>();

  /** @param key 32 bytes that all hosts of an environment share, and no other environment has. */
  constructor(key: Uint8Array) {
    this.#key = key;
  }

  begin({ databases, personId, sent, isReading, asksPrimary }: ReadRequest): RequestReads {
    const given = sent.slice(0, mostTokens).map((token) => this.#read(token, personId));
    const own = this.#written.get(personId);
    const reads = new Map<string, DatabaseReads>();
    const writtenBefore = databases.map((database) => database.written());
    for (const database of databases) {
      const name = database.name();
      if (name === undefined) continue;
      const floor = own?.get(name);
      const known = given.flatMap((positions) => positions[name] ?? []);
      if (floor !== undefined && known.length > 0) known.push(floor);
      const minimum = known.length === 0 ? undefined : known.reduce((one, other) => database.join(one, other));
      reads.set(name, { minimum, floor, isNew: false, server: undefined });
    }
    const wasUnknown = [...reads.values()].some(({ minimum }) => minimum === unknownPosition);
    return {
      session: new ReadSession({ databases: reads, asksPrimary }),
      end: (outcome) => {
        databases.forEach((database, index) => {
          const name = database.name() ?? '';
          const known = reads.get(name);
          if (!known) return;
          const written = database.written();
          // Whatever this host has written meanwhile, this request may have written.
          if (!isReading && written !== undefined && written !== writtenBefore[index]) setNew(known, written);
          if (known.isNew && known.minimum !== undefined) this.#remember(personId, name, database, known.minimum);
          if (!isReading && outcome === 'uncertain') setNew(known, unknownPosition);
        });
        if (![...reads.values()].some(({ isNew }) => isNew)) return undefined;
        const positions = [...reads].flatMap(([name, { minimum }]) => (minimum === undefined ? [] : [[name, minimum]]));
        const [ofWrites, ofReads] = readPositionCookies;
        return {
          token: this.#issue(Object.fromEntries(positions), personId),
          cookies: isReading ? [ofReads, ...(wasUnknown ? [ofWrites] : [])] : [ofWrites],
        };
      },
    };
  }

  #remember(personId: number, name: string, database: ReplicatedDatabase, position: string): void {
    const own = this.#written.get(personId) ?? new Map<string, string>();
    const before = own.get(name);
    // A position that was asked for after an uncertain write covers it.
    const isNew = before === undefined || before === unknownPosition;
    own.set(name, isNew ? position : database.join(before, position));
    this.#written.delete(personId);
    this.#written.set(personId, own);
    if (this.#written.size <= mostPeople) return;
    const [oldest = personId] = this.#written.keys();
    this.#written.delete(oldest);
  }

  #issue(positions: Positions, personId: number): string {
    const payload = Buffer.from(JSON.stringify(positions)).toString('base64url');
    return `${payload}.${this.#sign(payload, personId).toString('base64url')}`;
  }

  #read(token: string | undefined, personId: number): Positions {
    if (token === undefined || token.length > longestToken) return {};
    const known = this.#verified.get(token);
    if (known) return known.personId === personId ? known.positions : {};
    const [payload = '', signature = ''] = token.split('.');
    const expected = this.#sign(payload, personId);
    const found = Buffer.from(signature, 'base64url');
    if (found.length !== expected.length || !timingSafeEqual(found, expected)) return {};
    const positions = JSON.parse(Buffer.from(payload, 'base64url').toString()) as Positions;
    this.#verified.set(token, { personId, positions });
    const [oldest = token] = this.#verified.keys();
    if (this.#verified.size > mostVerified) this.#verified.delete(oldest);
    return positions;
  }

  #sign(payload: string, personId: number): Buffer {
    return createHmac('sha256', this.#key).update(`${personId}\n${payload}`).digest();
  }
}

/** A position that was asked for just now shows all that any earlier one does. */
function setNew(known: DatabaseReads, position: string): void {
  known.minimum = position;
  known.isNew = true;
}
