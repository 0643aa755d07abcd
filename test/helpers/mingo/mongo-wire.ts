import { BSON } from 'mongodb';
import type { MongoDocument } from '#kernel/ports/mongo-database';

/** The messages of the protocol of MongoDB that the driver sends. */
export interface WireMessage {
  readonly requestId: number;
  readonly command: MongoDocument;
  /** Drivers greet in an older form, and expect the answer in it. */
  readonly isGreeting: boolean;
}

const opcodes = { reply: 1, query: 2004, message: 2013 } as const;
const headerBytes = 16;

export function parseMessage(bytes: Buffer): WireMessage {
  const requestId = bytes.readInt32LE(4);
  const body = bytes.subarray(headerBytes);
  if (bytes.readInt32LE(12) === opcodes.query) {
    const nameEnd = body.indexOf(0, 4);
    return { requestId, command: read(body.subarray(nameEnd + 9)), isGreeting: true };
  }
  return { requestId, command: sectionsOf(body.subarray(4)), isGreeting: false };
}

export function replyTo({ requestId, isGreeting }: WireMessage, reply: MongoDocument): Buffer {
  const document = BSON.serialize(reply, { ignoreUndefined: true });
  // Flags; in the older form also a cursor, where the answer starts and how many documents it has.
  const preamble = Buffer.alloc(isGreeting ? 20 : 5);
  if (isGreeting) preamble.writeInt32LE(1, 16);
  const header = Buffer.alloc(headerBytes);
  header.writeInt32LE(headerBytes + preamble.length + document.length, 0);
  header.writeInt32LE(requestId, 8);
  header.writeInt32LE(isGreeting ? opcodes.reply : opcodes.message, 12);
  return Buffer.concat([header, preamble, document]);
}

/** A command, and the lists of documents that are sent beside it. */
function sectionsOf(bytes: Buffer): MongoDocument {
  let command: MongoDocument = {};
  let rest = bytes;
  while (rest.length > 0) {
    const isCommand = rest[0] === 0;
    const size = rest.readInt32LE(1);
    const section = rest.subarray(1, 1 + size);
    if (isCommand) command = { ...read(section), ...command };
    else command = { ...command, ...documentsOf(section) };
    rest = rest.subarray(1 + size);
  }
  return command;
}

function documentsOf(section: Buffer): MongoDocument {
  const nameEnd = section.indexOf(0, 4);
  const documents: MongoDocument[] = [];
  let rest = section.subarray(nameEnd + 1);
  while (rest.length > 0) {
    const size = rest.readInt32LE(0);
    documents.push(read(rest.subarray(0, size)));
    rest = rest.subarray(size);
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

function read(bytes: Buffer): MongoDocument {
  const size = bytes.readInt32LE(0);
  return BSON.deserialize(bytes.subarray(0, size), { useBigInt64: true });
}
