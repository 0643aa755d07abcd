import { isCloudError } from '#kernel/errors/cloud-error';
import type { ImportOutcome, RefusedRecord } from '../../../records/request/record-service.ts';
import type { PublicError } from '../../request/public-error.ts';
import type { Route, RouteAnswer, RouteCall } from '../call/route.ts';
import { parseImport } from '../parse/import-body.ts';
import { insteadOfWriting } from './check-records.ts';

const path = '/_internal/import/:collection';
const mostErrors = 1_000;

/** Check the records of a file. */
const checkImportRoute: Route = {
  method: 'POST',
  path,
  answer: async (call) => {
    const { asked, count } = importIn(call);
    const outcome = await call.state.recordService.checkImport(call.collection().name, asked, call.context());
    const { missing } = outcome;
    return { status: 200, body: importDocument(call, outcome, count(), { dryRun: true, missing }).body };
  },
};

/** Create the records of a file: all of them or none, or each by itself. */
export const importRoute: Route = {
  method: 'POST',
  path,
  otherwise: insteadOfWriting(checkImportRoute),
  activity: { action: 'create', label: () => 'import' },
  answer: async (call) => {
    const { asked, count, isWhole } = importIn(call);
    const outcome = await call.state.recordService.importRecords(call.collection().name, asked, call.context());
    const timeUp = outcome.isTimeUp ? { timeUp: true } : {};
    const { ids } = outcome;
    const { body, status } = importDocument(call, outcome, count(), { dryRun: false, ...timeUp, ids });
    return { status: isWhole() ? status : 200, body };
  },
};

/** The body of an import, which is read when the right to it is known. */
function importIn({ body, state, collection }: RouteCall) {
  let read: ReturnType<typeof parseImport> | undefined;
  return {
    asked: () => {
      read = parseImport(state.model, collection(), body);
      return read;
    },
    count: () => read?.records.length ?? 0,
    isWhole: () => read?.mode === 'all',
  };
}

/** What became of the records. The status is that of the first error. */
function importDocument(
  { publicErrors }: RouteCall,
  { created, refused }: ImportOutcome,
  count: number,
  meta: object,
): RouteAnswer {
  const told = refused.slice(0, mostErrors).map((record) => ({ record, errors: publicErrors(record.error) }));
  const errors = told.flatMap(({ record, errors }) => errors.map((error) => errorOfLine(error, record)));
  const shown = errors.slice(0, mostErrors);
  const all = refused.reduce((sum, { error }) => sum + 1 + (isCloudError(error) ? error.others.length : 0), 0);
  const untried = count - created - refused.length;
  const counts = { created, failed: refused.length, untried, hiddenErrors: all - shown.length };
  return { status: told[0]?.errors[0].status ?? 200, body: { meta: { ...meta, ...counts }, errors: shown } };
}

function errorOfLine({ code, detail, nextSteps, data }: PublicError, { line }: RefusedRecord) {
  return { line: line ?? null, field: data?.['field'] ?? null, code, detail, nextSteps };
}
