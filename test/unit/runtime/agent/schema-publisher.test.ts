import { describe, expect, it, onTestFinished } from 'vitest';
import type { SchemaDocument } from '#contracts/schema-document';
import { CloudError } from '#kernel/errors/cloud-error';
import { createSchemaPublisher } from '#runtime/agent/schema-publisher';

const document: SchemaDocument = { collections: [], meta: { liana: 'x', liana_version: '1', stack: {} } } as never;

function failing(code: 'PLATFORM_UNREACHABLE' | 'PLATFORM_UNAUTHENTICATED') {
  return new CloudError({ code, message: 'No.', nextSteps: ['Wait.'] });
}

/** A publisher on a platform that throws the errors one after the other, then takes the schema. */
function setUp(...errors: (CloudError | 'silence')[]) {
  const log: string[] = [];
  const sent = Promise.withResolvers<SchemaDocument>();
  const publisher = createSchemaPublisher(
    {
      checkSchemaHash: async () => {
        const error = errors.shift();
        if (error === 'silence') return new Promise(() => undefined);
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

describe('a schema', () => {
  it('is sent before anything is served', async () => {
    const { publisher, sent, log } = setUp();
    await publisher.publish(document);
    expect(await sent).toBe(document);
    expect(log).toEqual([]);
  });

  it('is sent later where the platform cannot be reached', async () => {
    const { publisher, sent, log } = setUp(failing('PLATFORM_UNREACHABLE'));
    await publisher.publish(document);
    expect(log).toEqual(['Warn']);
    expect(await sent).toBe(document);
  });

  it('is not waited for without end', async () => {
    const { publisher, sent, log } = setUp('silence');
    await publisher.publish(document);
    expect(log).toEqual(['Warn']);
    expect(await sent).toBe(document);
  });

  it('is refused with what the platform says', async () => {
    const { publisher } = setUp(failing('PLATFORM_UNAUTHENTICATED'));
    await expect(publisher.publish(document)).rejects.toMatchObject({ code: 'PLATFORM_UNAUTHENTICATED' });
  });
});
