import type { CreateElevation, Elevation } from '#contracts/elevations';
import { openProject } from '#project/index';
import type { FlowContext } from '../flow-context.ts';
import { connectToPlatform } from '../platform-access/connect-to-platform.ts';

interface Target {
  readonly folder: string;
  /** Name of the environment; that of the token by default. */
  readonly environment: string | undefined;
}

export interface ListedElevations {
  readonly environment: string;
  /** Those that one has asked for or may decide on, the newest first. */
  readonly elevations: readonly Elevation[];
}

/** Take a role for a time, or ask for it where the rights want somebody else to agree. */
export async function elevate(
  context: FlowContext,
  { role, minutes, reason, ...target }: CreateElevation & Target,
): Promise<Elevation> {
  return (await connect(context, target)).elevate({ role, minutes, reason });
}

export async function listElevations(context: FlowContext, target: Target): Promise<ListedElevations> {
  const client = await connect(context, target);
  const [{ environment }, elevations] = await Promise.all([client.me(), client.elevations()]);
  return { environment, elevations };
}

/** Agree to what somebody else has asked for, refuse it, or end what is active. */
export async function changeElevation(
  context: FlowContext,
  { id, act, ...target }: Target & { readonly id: number; readonly act: 'grant' | 'refuse' | 'end' },
): Promise<Elevation> {
  const client = await connect(context, target);
  return act === 'end' ? client.endElevation(id) : client.decideElevation(id, act);
}

async function connect(context: FlowContext, { folder, environment }: Target) {
  const project = await openProject(context.fs, folder, context.variables);
  return (await connectToPlatform(context, project, environment)).client;
}
