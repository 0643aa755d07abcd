import path from 'node:path';
import { type ProjectConfig, projectConfigFile, projectConfigSchema } from '#contracts/project-config';
import { type CloudError, cloudError, type SourceLocation } from '#kernel/errors/cloud-error';
import type { FileSystem } from '#kernel/ports/file-system';
import { codeFrame } from './code-frame.ts';
import { readJson } from './json-file.ts';

/** Read and check `vendor-cloud.json`. All that is wrong is reported at once. */
export async function readConfig(fs: FileSystem, root: string): Promise<ProjectConfig> {
  const file = path.join(root, projectConfigFile);
  const text = (await fs.readText(file)) ?? '';
  const reading = readJson(file, text);
  if ('problem' in reading)
    throw invalid(`${projectConfigFile} is not JSON: ${reading.problem}.`, withFrame(reading.location, text));
  const checked = projectConfigSchema.safeParse(reading.value);
  if (checked.success) return checked.data;
  const problems = checked.error.issues.map((issue) => `${issue.path.join('.') || 'the file'}: ${issue.message}`);
  throw invalid(`${projectConfigFile} is not valid. ${problems.join('; ')}.`, { file, line: 1 });
}

function withFrame(location: SourceLocation, text: string): SourceLocation {
  return { ...location, frame: codeFrame(text, location.line, location.column) };
}

function invalid(message: string, location: SourceLocation): CloudError {
  return cloudError(
    'PROJECT_CONFIG_INVALID',
    message,
    `Correct ${location.file}; its format is in docs/project-format.md.`,
    { location },
  );
}
