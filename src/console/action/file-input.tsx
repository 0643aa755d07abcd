import { useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { type Messages, useMessages } from '../messages/index.ts';
import { isMisnamed, nameIn } from '../values/file-content.ts';
import styles from './action.module.css';

/** What the server takes of a file at most, whatever a form says. */
const largestMb = 50;

interface FileInputProps {
  readonly id: string;
  readonly isList: boolean;
  /** Data URIs. */
  readonly value: unknown;
  readonly parameters: Readonly<Record<string, unknown>>;
  readonly onChange: (value: unknown) => void;
}

/** One file or several. A file that the server would refuse is refused before it is sent. */
export function FileInput({ id, isList, value, parameters, onChange }: FileInputProps) {
  const messages = useMessages();
  const [problem, setProblem] = useState<string>();
  const extensions = Array.isArray(parameters['filesExtensions']) ? (parameters['filesExtensions'] as string[]) : [];
  const limitMb = typeof parameters['filesSizeLimit'] === 'number' ? parameters['filesSizeLimit'] : largestMb;
  const uris = Array.isArray(value) ? (value as string[]) : typeof value === 'string' ? [value] : [];
  const take = async (files: readonly File[]) => {
    const limits = { limitMb, extensions };
    const refused = (await Promise.all(files.map((file) => fileProblem(file, limits, messages)))).find(Boolean);
    setProblem(refused);
    if (refused !== undefined) return;
    const read = await Promise.all(files.map(asDataUri));
    onChange(isList ? [...uris, ...read] : (read[0] ?? null));
  };
  return (
    <div className={styles['choices']}>
      <input
        id={id}
        type="file"
        multiple={isList}
        accept={
          extensions.map((extension) => (extension.startsWith('.') ? extension : `.${extension}`)).join(',') ||
          undefined
        }
        onChange={({ target }) => void take([...(target.files ?? [])])}
      />
      {uris.map((uri, index) => (
        <p key={uri} className={look.row}>
          {nameIn(uri)}
          <Button
            look="quiet"
            aria-label={messages.remove(nameIn(uri))}
            onClick={() => onChange(isList ? uris.filter((_, at) => at !== index) : null)}
          >
            ×
          </Button>
        </p>
      ))}
      {problem && (
        <p className={styles['problem']} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}

interface FileLimits {
  readonly limitMb: number;
  readonly extensions: readonly string[];
}

/** Why a file must not be sent: its size, its name, or a content that is not what the name says. */
async function fileProblem(
  file: File,
  { limitMb, extensions }: FileLimits,
  messages: Messages,
): Promise<string | undefined> {
  if (file.size === 0) return messages.fileEmpty;
  if (file.size > limitMb * 1024 ** 2) return messages.fileTooLarge(`${limitMb} MB`);
  const name = file.name.toLowerCase();
  const endings = extensions.map((ending) => `.${ending.replace(/^\./, '').toLowerCase()}`);
  if (endings.length > 0 && !endings.some((ending) => name.endsWith(ending))) {
    return messages.fileEnding(file.name, endings.join(', '));
  }
  const head = new Uint8Array(await file.slice(0, 64).arrayBuffer());
  return isMisnamed(file.name, head) ? messages.fileMisnamed(file.name) : undefined;
}

/** `data:image/png;name=a.png;base64,…`, which the agent reads a file from. */
async function asDataUri(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const chunks = Array.from({ length: Math.ceil(bytes.length / 32_768) }, (_, at) =>
    String.fromCharCode(...bytes.subarray(at * 32_768, (at + 1) * 32_768)),
  );
  const type = file.type || 'application/octet-stream';
  return `data:${type};name=${encodeURIComponent(file.name)};base64,${btoa(chunks.join(''))}`;
}
