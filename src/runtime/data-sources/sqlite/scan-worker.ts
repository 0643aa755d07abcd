import { parentPort, workerData } from 'node:worker_threads';
import { isCloudError } from '#kernel/errors/cloud-error';
import { reportOfError } from '#kernel/errors/error-report';
import type { SqlRow } from '#kernel/ports/sql-row';
import { interrupted } from '#node/database/database-errors';
import { openScanConnection, type ScanConnection } from './scan-connection.ts';
import type { ScanAnswer, ScanRequest, ScanWorkerData } from './scan-protocol.ts';

/** The entry of a thread that reads one SQLite file, a statement at a time. */
if (parentPort) {
  const port = parentPort;
  const { path, stopped } = workerData as ScanWorkerData;
  const stoppedId = new Int32Array(stopped);
  let currentId = 0;
  let connection: ScanConnection | undefined;

  const assertGoesOn = () => {
    if (Atomics.load(stoppedId, 0) === currentId) throw interrupted();
  };

  const answer = async ({ id, sql, parameters }: ScanRequest): Promise<ScanAnswer> => {
    try {
      currentId = id;
      connection ??= await openScanConnection(path, assertGoesOn);
      assertGoesOn();
      const rows = [...connection.each(sql, parameters)];
      return { kind: 'rows', rows, hasBinary: rows.some(holdsBinary) };
    } catch (error) {
      return refusal(error);
    }
  };

  port.on('message', (request: ScanRequest) => void answer(request).then((found) => port.postMessage(found)));
}

function holdsBinary(row: SqlRow): boolean {
  return Object.values(row).some((value) => value instanceof Uint8Array);
}

function refusal(error: unknown): ScanAnswer {
  const cause = isCloudError(error) ? error.cause : error;
  return {
    kind: 'refusal',
    error: reportOfError(error),
    safeDetails: isCloudError(error) ? error.safeDetails : {},
    reason: cause instanceof Error ? cause.message : undefined,
  };
}
