import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Browser, Page } from 'playwright-core';
import { median } from '../statistics.ts';
import { heapMbOf, measurePage, measureThread } from './page-work.ts';
import { startProject } from './session.ts';

const fieldsOfForm = 60;
const rowsInView = 20;
const pageSize = 100;

export interface LargeOptions {
  readonly folder: string;
  readonly rounds: number;
  /** How many records are scrolled from the first to the last. */
  readonly rows: number;
}

/** What a form of sixty fields, three hundred collections and a long list cost. */
export async function measureLargeModels(browser: Browser, { folder, rounds, rows }: LargeOptions) {
  const few = await startProject(
    browser,
    path.join(folder, 'few'),
    fillDatabase(path.join(folder, 'few.sqlite'), 40, rows),
  );
  const many = await startProject(
    browser,
    path.join(folder, 'many'),
    fillDatabase(path.join(folder, 'many.sqlite'), 300, 100),
  );
  try {
    const list = (session: typeof few) =>
      measurePage(
        browser,
        `${session.origin}/console/development/data/c1`,
        { rows: '[role=rowheader] a', count: 3 },
        session.state,
      );
    const works = { few: [] as number[], many: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      works.few.push((await list(few)).workMs);
      works.many.push((await list(many)).workMs);
    }
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, storageState: few.state });
    const page = await context.newPage();
    await page.setContent('<label>empty <input></label>');
    const keyMs = await measureKeys(page, 'empty');
    await page.goto(`${few.origin}/console/development/new/form`);
    const formKeyMs = (await measureKeys(page, `f${fieldsOfForm / 2}`)) - keyMs;
    const scroll = await scrollToTheEnd(page, rows);
    await context.close();
    return {
      /** What three hundred collections cost more than forty. */
      collectionsMs: median(works.many) - median(works.few),
      formKeyMs,
      scroll,
    };
  } finally {
    await few.stop();
    await many.stop();
  }
}

/** A database of `collections` tables of 12 columns, with a table of sixty columns and one of `rows` records. */
function fillDatabase(file: string, collections: number, rows: number): string {
  const database = new DatabaseSync(file);
  const columns = (count: number) => Array.from({ length: count }, (_, at) => `f${at} TEXT`).join(', ');
  for (let at = 1; at <= collections - 2; at += 1) {
    database.exec(`CREATE TABLE c${at} (id INTEGER PRIMARY KEY, ${columns(11)});
      INSERT INTO c${at} (f0) VALUES ('a'), ('b'), ('c')`);
  }
  database.exec(`CREATE TABLE form (id INTEGER PRIMARY KEY, ${columns(fieldsOfForm)});
    CREATE TABLE long (id INTEGER PRIMARY KEY, name TEXT, amount INTEGER);
    INSERT INTO long (name, amount) WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
      SELECT 'record ' || i, i % 1000 FROM n`);
  database.close();
  return file;
}

/** The work of a key in the field of a page, in milliseconds of its thread. */
async function measureKeys(page: Page, field: string): Promise<number> {
  const keys = 'a text that somebody types into a form';
  await page.getByLabel(field, { exact: true }).click();
  await page.waitForTimeout(1_000);
  const work = await measureThread(page, () => page.keyboard.type(keys, { delay: 30 }));
  return work / keys.length;
}

/** Scroll a list to its end, a page of a hundred rows at a time, and count what the page was sent. */
async function scrollToTheEnd(page: Page, rows: number) {
  const times = new Map<string, number>();
  const answers: Promise<void>[] = [];
  page.on('response', (response) => {
    if (!response.url().includes('/development/long?')) return;
    answers.push(
      response.text().then((body) => {
        const { data } = JSON.parse(body) as { data?: readonly { id: string }[] };
        if (!data) throw new Error(`A page of the list was refused: ${body}`);
        for (const { id } of data) times.set(id, (times.get(id) ?? 0) + 1);
      }),
    );
  });
  await page.goto(new URL('../data/long', page.url()).href);
  await page.getByText(`record ${rowsInView}`, { exact: true }).waitFor();
  const steps = Math.ceil(rows / pageSize);
  for (let step = 1; step <= steps; step += 1) {
    await page.getByRole('grid').evaluate((element, share) => {
      element.scrollTop = (element.scrollHeight - element.clientHeight) * share;
    }, step / steps);
    // The list is at rest where a row in the middle of the window is there.
    const middle = Math.round(((rows - rowsInView) * step) / steps + rowsInView / 2);
    await page.getByText(`record ${middle}`, { exact: true }).waitFor();
  }
  await Promise.all(answers);
  return {
    rows,
    missing: rows - times.size,
    repeated: [...times.values()].filter((count) => count > 1).length,
    heapMb: await heapMbOf(page),
  };
}
