import path from 'node:path';
import { type ProofVerdict, recordsOf } from '#contracts/audit/row-proof';
import type { Cosigned } from '#flows/audit/cosign/cosign-logs';
import type { WrittenProof } from '#flows/audit/row-proofs';
import type { ExportedSegment, ListedSegments } from '#flows/audit/segments';
import { renderTable } from '../terminal/table.ts';
import type { Terminal } from '../terminal/terminal.ts';

export function renderSegments({ segments }: ListedSegments, terminal: Terminal): string {
  if (segments.length === 0) return 'The log has no rows yet.';
  const rows = segments.map(({ month, size, first, last, note, isKept, cosigned }) => [
    month,
    String(size),
    `${first} to ${last}`,
    note === null ? 'goes on' : '✔',
    isKept ? '✔' : 'removed',
    String(cosigned.length),
  ]);
  return renderTable(['MONTH', 'ROWS', 'FROM, TO', 'SIGNED', 'KEPT', 'COSIGNED'], rows, terminal);
}

export function renderExportedSegment({ file, month, rows, isGrowing }: ExportedSegment, terminal: Terminal): string {
  const { resultStyle } = terminal;
  const lines = [`${resultStyle.green('✔')} Wrote the ${rows} rows of ${month} to ${shown(file)}.`];
  return [...lines, ...(isGrowing ? ['  The month goes on: export it again when it is over.'] : [])].join('\n');
}

export function renderProof({ proof, file, bytes }: WrittenProof, { resultStyle }: Terminal): string {
  if (file === null) return JSON.stringify(proof);
  return [
    `${resultStyle.green('✔')} Wrote the proof to ${shown(file)}: ${bytes} bytes.`,
    '  Whoever has it and the public key of the platform verifies it with `audit verify --proof`.',
  ].join('\n');
}

export function renderProofVerdict(verdict: ProofVerdict, { resultStyle }: Terminal): string {
  const { row, further, segment, gaps } = verdict;
  if (!row || !segment) return '';
  const { object, id, sequence, createdAt, chain } = row;
  const end = further.find((each) => each.object === 'activityLogOutcome');
  const more = further.filter((each) => each.object === 'activityLogRecords' && !each.kept && !each.unkept);
  return [
    `${resultStyle.green('✔')} The ${further.length > 0 ? 'rows hold' : 'row holds'}: ${object} ${id}, of ${createdAt}.`,
    `  Row ${sequence} of the log ${chain}`,
    ...(row.object === 'activityLog' && more.length > 0
      ? [`  Its records, ${recordsOf(row, further)} of them: also in ${listed(more.map((each) => each.sequence))}`]
      : []),
    ...(end ? [`  Its end: ${end.status}, in row ${end.sequence}`] : []),
    ...gaps.map((gap) => `  ${resultStyle.yellow('!')} ${gap}`),
    `  Signed by the platform as one of ${segment.size} rows of ${segment.month}, ${segment.at}`,
  ].join('\n');
}

export function renderCosigned({ cosigner, state, logs, registerSize }: Cosigned, terminal: Terminal): string {
  const { resultStyle } = terminal;
  if (logs.length === 0) return 'There is no log with rows yet.';
  const rows = logs.map(({ environment, month, last, isNew, chain }) => [
    environment ?? 'project',
    month,
    String(last),
    isNew ? 'first' : 'goes on',
    chain,
  ]);
  return [
    renderTable(['LOG OF', 'MONTH', 'UP TO ROW', 'SINCE LAST', 'LOG'], rows, terminal),
    '',
    `${resultStyle.green('✔')} Signed ${logs.length === 1 ? '1 log' : `${logs.length} logs`}, and kept that in ${shown(state)}.`,
    ...(registerSize === null ? [] : [`  Signed the register of the logs too, up to row ${registerSize}`]),
    `  Public key of this machine: ${cosigner}`,
  ].join('\n');
}

function listed([first = 0, ...others]: readonly number[]): string {
  if (others.length === 0) return `row ${first}`;
  return others.length < 5
    ? `rows ${[first, ...others].join(', ')}`
    : `${others.length + 1} rows, to row ${others.at(-1)}`;
}

function shown(file: string): string {
  return path.relative('', file) || file;
}
