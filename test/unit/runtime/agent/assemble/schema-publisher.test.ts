import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { SchemaDocument } from '#contracts/schema-document';
import { type CloudError, cloudError } from '#kernel/errors/cloud-error';
import { createSchemaPublisher } from '#runtime/agent/assemble/schema-publisher';

const document: SchemaDocument = { collections: [], meta: { liana: 'x', liana_version: '1', stack: {} } } as never;
const later: SchemaDocument = { ...document, meta: { ...document.meta, agent_version: '2' } };

function failing(code: 'PLATFORM_UNREACHABLE' | 'PLATFORM_UNAUTHENTICATED' | 'PLATFORM_FAILED') {
  return cloudError(code, 'No.', 'Wait.');
}

/** A publisher on a platform that throws the errors one after the other, then takes the schema. */
function setUp(...errors: CloudError[]) {
  const log: string[] = [];
  const sent = Promise.withResolvers<SchemaDocument>();
  const publisher = createSchemaPublisher(
    {
      checkSchemaHash: async () => {
        const error = errors.shift();
        if (error) throw error;
        return { sendSchema: true };
      },
      uploadSchema: async (uploaded) => sent.resolve(uploaded),
    },
    { log: (level) => log.push(level) },
  );
  onTestFinished(() => publisher.close());
  return { publisher, log, sent: sent.promise };
}

/** A publisher on a platform that answers every upload if it is asked to, and what it was sent. */
function setUpSlow() {
  const log: string[] = [];
  const uploads: SchemaDocument[] = [];
  const answers: PromiseWithResolvers<void>[] = [];
  const publisher = createSchemaPublisher(
    {
      checkSchemaHash: async () => ({ sendSchema: true }),
      uploadSchema: (uploaded) => {
        const answer = Promise.withResolvers<void>();
        uploads.push(uploaded);
        answers.push(answer);
        return answer.promise;
      },
    },
    { log: (level) => log.push(level) },
  );
  onTestFinished(() => publisher.close());
  const whenUploaded = (count: number) => expect.poll(() => uploads).toHaveLength(count);
  return { publisher, log, uploads, answers, whenUploaded };
}

describe('a schema', () => {
  it('is sent before anything is served', async () => {
    const { publisher, sent, log } = setUp();
    await publisher.publish(document);
    expect(await sent).toBe(document);
    expect(log).toEqual([]);
  });

  it('is sent later where the platform cannot be reached', { tags: 'long' }, async () => {
    const { publisher, sent, log } = setUp(failing('PLATFORM_UNREACHABLE'));
    await publisher.publish(document);
    expect(log).toEqual(['Warn']);
    expect(await sent).toBe(document);
  });

  it('is not waited for without end', { tags: 'long' }, async () => {
    const { publisher, log, answers, whenUploaded } = setUpSlow();
    await publisher.publish(document);
    expect(log).toEqual(['Warn']);
    answers[0]?.reject(failing('PLATFORM_UNREACHABLE'));
    await whenUploaded(2);
  });

  it('is not overtaken by one that came before and is still on its way', async () => {
    const { publisher, log, uploads, answers, whenUploaded } = setUpSlow();
    const first = publisher.publish(document);
    await whenUploaded(1);
    const second = publisher.publish(later);
    await first;
    await nextTurn();
    expect(uploads).toEqual([document]);
    answers[0]?.resolve();
    await whenUploaded(2);
    answers[1]?.resolve();
    await second;
    expect(uploads).toEqual([document, later]);
    expect(log).toEqual([]);
  });

  it('is dropped without a word when the agent stops, in its first try or in a later one', {
    tags: 'long',
  }, async () => {
    const { publisher, log, answers, whenUploaded } = setUpSlow();
    const publishing = publisher.publish(document);
    await whenUploaded(1);
    publisher.close();
    await publishing;
    answers[0]?.reject(failing('PLATFORM_FAILED'));
    const again = publisher.publish(document);
    await whenUploaded(2);
    expect(log).toEqual([]);
    answers[1]?.reject(failing('PLATFORM_UNREACHABLE'));
    await again;
    await whenUploaded(3);
    publisher.close();
    answers[2]?.reject(failing('PLATFORM_FAILED'));
    await nextTurn();
    expect(log).toEqual(['Warn']);
  });

  it('is refused with what the platform says', async () => {
    const { publisher } = setUp(failing('PLATFORM_UNAUTHENTICATED'));
    await expect(publisher.publish(document)).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
  });
});
