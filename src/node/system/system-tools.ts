import type { Tools } from '#kernel/ports/programs';

/** The tools of the machine. They see `variables`, and are found by the `PATH` among them. */
export function createTools(variables: Readonly<Record<string, string | undefined>>, workingFolder: string): Tools {
  return {
    async run({ program, parameters, folder, input, deadlineMs, signal }) {
      // A search without a path would look through folders that nobody named.
      if (!variables['PATH'] && !variables['Path']) return { exitCode: null, stdout: '', stderr: '' };
      const { execa } = await import('execa');
      const { exitCode, stdout, stderr } = await execa(program, parameters, {
        cwd: folder ?? workingFolder,
        env: variables,
        extendEnv: false,
        input: input ?? '',
        timeout: deadlineMs,
        reject: false,
        ...(signal ? { cancelSignal: signal } : {}),
      });
      return { exitCode: exitCode ?? null, stdout, stderr };
    },
  };
}
