/**
 * Print the source files whose functions run for one request on a warm agent, in the order of their first call:
 *
 *     node --conditions=vendor-source scripts/trace-request.ts list|get|action|action-without-form
 *
 * The agent serves a SQLite shop in this process, to a role that is not an administrator's.
 */
import { calledFiles } from './trace-request/called-files.ts';
import { requests, startTracedShop } from './trace-request/traced-shop.ts';

/** The request runs often enough before it is traced that everything it caches is there. */
const warmUps = 20;
/** A file counts when every one of so many requests calls it; what a timer calls by chance does not. */
const rounds = 5;

const [, , name = ''] = process.argv;
const request = new Map(Object.entries(requests)).get(name);
if (request) {
  const shop = await startTracedShop();
  try {
    const ask = () => shop.ask(request);
    for (let round = 0; round < warmUps; round++) await ask();
    print(await calledFiles(ask, rounds));
  } finally {
    await shop.stop();
  }
} else {
  console.error(`Name a request: ${Object.keys(requests).join(', ')}.`);
  process.exitCode = 2;
}

function print(files: readonly string[]): void {
  const layers = ['runtime', 'host', 'kernel'];
  const counted = files.filter((file) => layers.some((layer) => file.startsWith(`src/${layer}/`)));
  files.forEach((file, index) => void console.log(`${String(index + 1).padStart(3)}  ${file}`));
  console.log(`\n${counted.length} files of ${layers.map((layer) => `src/${layer}`).join(', ')}`);
}
