import type { Tools } from '#kernel/ports/programs';
import { runToEnd } from './run-to-end.ts';

/** The tools of the machine. They see `variables`, and are found by the `PATH` among them. */
export function createTools(variables: Readonly<Record<string, string | undefined>>, workingFolder: string): Tools {
  return {
    async run(call) {
      // A search without a path would look through folders that nobody named.
      if (!variables['PATH'] && !variables['Path']) return { exitCode: null, stdout: '', stderr: '' };
      return runToEnd({ ...call, folder: call.folder ?? workingFolder, variables });
    },
  };
}
