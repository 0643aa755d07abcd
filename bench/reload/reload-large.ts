import { tableStatements } from '../introspection/tables.ts';
import { type BenchPostgres, startPostgres } from '../postgres.ts';
import { startBareProgram } from './bare-program.ts';
import { checkLarge } from './check-large.ts';
import { largeSource, largeTables } from './large-source.ts';
import { measureSaves } from './measure-saves.ts';
import { serveProject } from './serve-project.ts';
import { settledRssMb } from './settled-rss.ts';

interface OneRecord {
  readonly data: { readonly attributes: { readonly name: string; readonly revision: string } };
}

/** The large form: a hundred customized collections of a thousand tables of PostgreSQL. */
export async function reloadLarge(folder: string, saves: number) {
  const postgres = await startPostgres(folder);
  try {
    await fillTables(postgres);
    const served = await serveProject(folder, ['--uri', postgres.uri], largeSource('r0'));
    const bare = await startBareProgram(folder, largeSource);
    const readRevision = async () => {
      const answer = await served.send('GET', '/t0/1?fields[t0]=name,revision');
      const { name, revision } = (answer as OneRecord).data.attributes;
      return { column: name, revision };
    };
    try {
      await checkLarge(served);
      // Of the bare program only the build and the evaluation count here.
      const figures = await measureSaves({ served, sourceOf: largeSource, readRevision }, bare, 'reportedMs', saves);
      await checkLarge(served);
      return { ...figures, rssMb: await settledRssMb(served.pid) };
    } finally {
      await bare.stop();
      await served.stop();
    }
  } finally {
    await postgres.stop();
  }
}

/** Three records in each table, so that every computed field and segment has something to work on. */
async function fillTables(postgres: BenchPostgres): Promise<void> {
  const rows = Array.from({ length: largeTables }, (_, table) => [
    `insert into t${table} (first_id, second_id, name, state, amount)
     select n, n, 'record ' || n, (array['open', 'paid', 'sent'])[n]::state, n * 10 from generate_series(1, 3) n`,
  ]);
  await postgres.execute([...tableStatements(largeTables), ...rows.flat(), 'analyze']);
}
