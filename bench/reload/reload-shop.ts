import { startBareProgram } from './bare-program.ts';
import { checkShop } from './check-shop.ts';
import { measureSaves } from './measure-saves.ts';
import { serveProject } from './serve-project.ts';
import { readShopSource } from './shop-source.ts';

interface OneOrder {
  readonly data: { readonly attributes: { readonly reference: string; readonly revision: string } };
}

/** The small form: the sample shop with twenty customizations. */
export async function reloadShop(folder: string, saves: number) {
  const sourceOf = await readShopSource();
  const served = await serveProject(folder, ['--template', 'shop'], sourceOf('r0'));
  const bare = await startBareProgram(folder, sourceOf);
  const readRevision = async () => {
    const answer = await served.send('GET', '/orders/1?fields[orders]=reference,revision');
    const { reference, revision } = (answer as OneOrder).data.attributes;
    return { column: reference, revision };
  };
  try {
    await checkShop(served);
    const figures = await measureSaves({ served, sourceOf, readRevision }, bare, 'seenMs', saves);
    await checkShop(served);
    return figures;
  } finally {
    await bare.stop();
    await served.stop();
  }
}
