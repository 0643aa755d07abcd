import { Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { assert, expect, it } from 'vitest';
import type { PostgresClient } from '#node/postgres/postgres-client';
import { createPostgresConnection } from '#node/postgres/postgres-connection';
import { createPostgresStatements, type PostgresStatements } from '#node/postgres/postgres-statements';

/** A stream that tells what it writes with one call of the system. */
class RecordedStream extends Writable {
  readonly calls: string[] = [];

  override _write(chunk: unknown, _encoding: string, done: () => void): void {
    this.calls.push(String(chunk));
    done();
  }

  override _writev(chunks: readonly { readonly chunk: unknown }[], done: () => void): void {
    this.calls.push(chunks.map(({ chunk }) => String(chunk)).join(' '));
    done();
  }
}

function connectionTo(stream: Writable, statements: PostgresStatements) {
  const client = {
    connection: { stream },
    on: () => client,
    ask: (sql: string) => stream.write(sql),
  };
  const address = { host: '127.0.0.1', port: 5432 };
  return createPostgresConnection(
    client as unknown as PostgresClient,
    { address, tls: undefined, connectTimeoutMs: 1000, statementTimeoutMs: 0, statements },
    () => undefined,
  );
}

it('writes the reads of one turn in one call at its end', async () => {
  const stream = new RecordedStream();
  const statements = createPostgresStatements(true);
  const connection = connectionTo(stream, statements);
  const send = (sql: string) => {
    const statement = statements.find(sql);
    assert(statement);
    connection.send(statement, sql, [], () => undefined);
  };
  send('one');
  await Promise.resolve();
  send('two');
  expect(stream.calls).toEqual([]);
  await setImmediate();
  expect(stream.calls).toEqual(['one two']);
  send('three');
  await setImmediate();
  expect(stream.calls).toEqual(['one two', 'three']);
});
