import { verifierOf } from '#contracts/audit/signing';
import { openFileObjects } from '#node/objects/file-objects';
import { systemClock } from '#node/system/system-clock';
import { archiveStore } from '#platform/archive/archive-store';
import { verifyArchive } from '#platform/archive/verify-archive';
import { deriveCheckpointKey } from '#platform/audit/checkpoints';

/** A process that archives a store, or verifies an archive: its memory is that of the work. */

export interface ArchiveReport {
  readonly rows: number;
  readonly seconds: number;
  /** Of the processor, in all threads. */
  readonly cpuSeconds: number;
  /** The most that the process ever had. */
  readonly rssMb: number;
}

const [work = '', platformKey = '', folder = '', store = ''] = process.argv.slice(2);
const objects = openFileObjects(folder);
const begun = performance.now();
const cpuBegun = process.cpuUsage();
const rows = await (work === 'archive' ? archived() : verified());
const seconds = (performance.now() - begun) / 1000;
const cpu = process.cpuUsage(cpuBegun);
const cpuSeconds = (cpu.user + cpu.system) / 1e6;
process.send?.({ rows, seconds, cpuSeconds, rssMb: process.resourceUsage().maxRSS / 1024 } satisfies ArchiveReport);
process.disconnect?.();

async function archived(): Promise<number> {
  const logs = await archiveStore({ address: store, platformKey, objects, clock: systemClock });
  const problem = logs.find((log) => log.problem)?.problem;
  if (problem) throw new Error(problem.message);
  return logs.flatMap(({ months }) => months).reduce((sum, month) => sum + month.rows, 0);
}

async function verified(): Promise<number> {
  const keys = [verifierOf(deriveCheckpointKey(platformKey))];
  const { logs, outcome, problem } = await verifyArchive(objects, { keys, anchors: [] });
  if (outcome !== 'holds') throw new Error(problem?.message ?? outcome);
  return logs.reduce((sum, log) => sum + log.rows, 0);
}
