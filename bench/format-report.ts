import type { BenchReport } from './bench-report.ts';
import { type Budget, isWithin } from './budgets.ts';

/** The figures as an aligned table, with what each may be and whether it is. */
export function formatReport(report: BenchReport, budgets: Readonly<Record<string, Budget>>): string {
  const rows = Object.entries(report.figures).map(([name, value]) => {
    const budget = budgets[name];
    if (!budget) return [name, String(value), '', ''];
    return [name, String(value), describeBudget(budget), isWithin(budget, value) ? 'ok' : 'MISSED'];
  });
  return [`bench ${report.name}`, ...alignColumns([['figure', 'value', 'budget', 'verdict'], ...rows])].join('\n');
}

function describeBudget(budget: Budget): string {
  return 'atMost' in budget ? `≤ ${budget.atMost}` : `≥ ${budget.atLeast}`;
}

/** Names to the left, numbers to the right. */
function alignColumns(rows: readonly (readonly string[])[]): string[] {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => (column === 1 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}
