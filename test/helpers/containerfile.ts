import { access, chown, cp, mkdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { execa } from 'execa';

export interface ContainerImage {
  /** Folder that stands for `/`. */
  readonly root: string;
  readonly workingFolder: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly entrypoint: readonly string[];
  readonly command: readonly string[];
  readonly healthcheck: readonly string[];
  readonly user: string | undefined;
}

export interface BuildOptions {
  /** What `COPY` takes from. */
  readonly context: string;
  /** Each stage gets a folder in here. */
  readonly folder: string;
  /** Who carries out `RUN`; the current user by default. */
  readonly user?: { readonly uid: number; readonly gid: number };
  readonly environment: Record<string, string>;
}

interface Stage {
  readonly root: string;
  workingFolder: string;
  user: string | undefined;
  entrypoint: readonly string[];
  command: readonly string[];
  healthcheck: readonly string[];
  readonly environment: Record<string, string>;
}

/**
 * Carry out a Containerfile without a container: an empty folder stands for the root of each stage, and absolute paths are
 * looked for in there. Knows the instructions that ours has, and throws for any other.
 */
export async function buildContainerfile(file: string, options: BuildOptions): Promise<ContainerImage> {
  const stages = new Map<string, Stage>();
  let stage: Stage | undefined;
  for (const [instruction, rest] of instructionsOf(await readFile(file, 'utf8'))) {
    if (instruction === 'FROM') {
      const [, name = `stage-${stages.size}`] = / AS (\S+)$/.exec(rest) ?? [];
      const root = path.join(options.folder, name);
      stage = {
        root,
        workingFolder: '/',
        user: undefined,
        entrypoint: [],
        command: [],
        healthcheck: [],
        environment: {},
      };
      await makeFolder(root, options);
      stages.set(name, stage);
    } else if (stage) {
      await carryOut(instruction, rest, stage, stages, options);
    }
  }
  if (!stage) throw new Error(`${file} has no stage.`);
  return stage;
}

/** Lines of one instruction each, without comments. */
function instructionsOf(text: string): [string, string][] {
  const lines = text
    .replaceAll(/^\s*#.*\n/gm, '')
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n');
  return lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const [, instruction = '', rest = ''] = /^(\S+)\s+(.*)$/.exec(line) ?? [];
      return [instruction, rest];
    });
}

async function carryOut(
  instruction: string,
  rest: string,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
  options: BuildOptions,
): Promise<void> {
  switch (instruction) {
    case 'WORKDIR':
      stage.workingFolder = rest;
      return makeFolder(inRoot(stage, rest), options);
    case 'COPY':
      return copy(rest, stage, stages, options);
    case 'RUN': {
      await execa('sh', ['-ec', withRoot(rest, stage.root)], {
        cwd: inRoot(stage, '.'),
        env: { ...options.environment, ...stage.environment, HOME: stage.root },
        extendEnv: false,
        ...options.user,
      });
      return;
    }
    case 'ENV': {
      const [, name = '', value = ''] = /^([A-Z_]+)=(\S*)$/.exec(rest) ?? [];
      stage.environment[name] = value;
      return;
    }
    case 'USER':
      stage.user = rest;
      return;
    case 'ENTRYPOINT':
      stage.entrypoint = JSON.parse(rest);
      return;
    case 'CMD':
      stage.command = JSON.parse(rest);
      return;
    case 'HEALTHCHECK':
      stage.healthcheck = JSON.parse(rest.slice(rest.indexOf(' CMD ') + ' CMD '.length));
      return;
    case 'EXPOSE':
    case 'VOLUME':
      return;
    default:
      throw new Error(`It is not known how to carry out ${instruction}.`);
  }
}

async function copy(
  rest: string,
  stage: Stage,
  stages: ReadonlyMap<string, Stage>,
  options: BuildOptions,
): Promise<void> {
  const words = rest.split(/\s+/);
  const from = words.find((word) => word.startsWith('--from='))?.slice('--from='.length);
  const [target = '', ...sources] = words.filter((word) => !word.startsWith('--')).reverse();
  const base = from === undefined ? options.context : (stages.get(from)?.root ?? '');
  for (const source of sources) {
    const origin = path.join(base, source);
    await access(origin);
    const place = inRoot(stage, target);
    // Several sources, or a folder at the end, go into a folder.
    const isInto = target.endsWith('/');
    await cp(origin, isInto ? path.join(place, path.basename(source)) : place, {
      recursive: true,
      verbatimSymlinks: true,
    });
  }
  if (options.user) await execa('chown', ['-R', `${options.user.uid}:${options.user.gid}`, stage.root]);
}

/** A path of the image in its folder. */
function inRoot({ root, workingFolder }: Stage, place: string): string {
  return path.join(root, path.posix.resolve(workingFolder, place));
}

/** The same for each absolute path in a text. */
export function withRoot(text: string, root: string): string {
  return text.replaceAll(
    /(^|[\s=:"'])(\/[\w.-])/g,
    (_whole, before: string, begin: string) => `${before}${root}${begin}`,
  );
}

async function makeFolder(folder: string, { user }: BuildOptions): Promise<void> {
  await mkdir(folder, { recursive: true });
  if (user) await chown(folder, user.uid, user.gid);
}
