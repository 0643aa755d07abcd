import { useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
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
    const refused = files
      .map((file) =>
        file.size === 0
          ? messages.fileEmpty
          : file.size > limitMb * 1024 ** 2
            ? messages.fileTooLarge(`${limitMb} MB`)
            : undefined,
      )
      .find(Boolean);
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

/** `data:image/png;name=a.png;base64,…`, which the agent reads a file from. */
async function asDataUri(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  const chunks = Array.from({ length: Math.ceil(bytes.length / 32_768) }, (_, at) =>
    String.fromCharCode(...bytes.subarray(at * 32_768, (at + 1) * 32_768)),
  );
  const type = file.type || 'application/octet-stream';
  return `data:${type};name=${encodeURIComponent(file.name)};base64,${btoa(chunks.join(''))}`;
}

function nameIn(uri: string): string {
  return decodeURIComponent(/;name=([^;,]*)/.exec(uri)?.[1] ?? 'file');
}
