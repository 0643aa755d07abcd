/**
 * A program that writes to the store at `process.argv[2]` until it is killed or a write fails, and prints a line for each
 * transaction that was acknowledged. Each transaction makes a project and a role in it.
 */
import { isCloudError } from '#kernel/errors/cloud-error';
import { openStore } from '#platform/store/open-store';
import type { Store } from '#platform/store/store';

async function writeForEver(store: Store, writer: number): Promise<never> {
  for (let count = 1; ; count++) {
    const name = `${process.pid} ${writer} ${count}`;
    await store.transaction(async ({ db }) => {
      const { id } = await db
        .insertInto('projects')
        .values({ name, createdAt: 0 })
        .returning('id')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('roles')
        .values({ projectId: id, name: 'x'.repeat(500) })
        .execute();
    });
    process.stdout.write(`${name}\n`);
  }
}

try {
  const store = await openStore(process.argv[2] ?? '');
  await Promise.all([1, 2, 3, 4].map((writer) => writeForEver(store, writer)));
} catch (error) {
  const refusal = isCloudError(error) ? { code: error.code, message: error.message, nextSteps: error.nextSteps } : {};
  process.stderr.write(JSON.stringify(refusal));
  process.exitCode = 1;
}
