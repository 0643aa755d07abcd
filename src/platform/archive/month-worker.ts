import { serveTasks } from '#node/system/thread-pool';
import { openArchive } from './open-archive.ts';
import { answerOf, type MonthAnswer, type MonthTask, verifyMonth } from './verify-archive.ts';

/** The entry of a thread that verifies months of an archive. */
let opened: ReturnType<typeof openArchive> | undefined;

serveTasks<MonthTask, MonthAnswer>(async ({ month, address, surroundings, keys, anchors }) => {
  opened ??= openArchive(address, surroundings);
  const objects = await opened;
  return answerOf(() => verifyMonth(objects, month, { keys, anchors }));
});
