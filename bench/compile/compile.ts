import { strict as assert } from 'node:assert';
import path from 'node:path';
import { execa } from 'execa';
import type { BenchOptions, BenchReport } from '../bench-report.ts';
import { rounded } from '../statistics.ts';

const measure = path.join(import.meta.dirname, 'measure.ts');
const nodeOptions = ['--conditions=vendor-source', '--expose-gc'];

interface Measured {
  readonly collections: number;
  readonly firstMs: number;
  readonly ms: number;
  readonly modelMb: number;
}

/** What it takes to turn the catalogue of many tables and as many customizations into a model. */
export async function benchCompile({ isQuick }: BenchOptions): Promise<BenchReport> {
  const figures: Record<string, number> = {};
  for (const count of [100, 1000]) {
    const { stdout } = await execa(process.execPath, [...nodeOptions, measure, String(count), isQuick ? '5' : '20']);
    const measured = JSON.parse(stdout) as Measured;
    assert.equal(measured.collections, count);
    Object.assign(figures, {
      [`firstMs${count}`]: rounded(measured.firstMs),
      [`ms${count}`]: rounded(measured.ms),
      [`modelMb${count}`]: rounded(measured.modelMb),
    });
  }
  return { name: 'compile', figures };
}
