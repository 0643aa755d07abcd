import { useMutation } from '@tanstack/react-query';
import { useMessages } from '../messages/index.ts';
import { Button, Failure, look } from './controls.tsx';
import { toast } from './toasts.tsx';

interface CopyButtonsProps {
  readonly curl: string;
  /** Absent where no tool of MCP does the same; a function where something has to be asked first. */
  readonly mcp?: string | (() => Promise<string>) | undefined;
  /** Why no tool does it. */
  readonly whyNoMcp?: string | undefined;
}

/** Copies what the screen does, for a shell and for an assistant. */
export function CopyButtons({ curl, mcp, whyNoMcp }: CopyButtonsProps) {
  const messages = useMessages();
  const copying = useMutation({
    mutationFn: async (text: string | (() => Promise<string>)) =>
      navigator.clipboard.writeText(typeof text === 'string' ? text : await text()),
    onSuccess: () => toast(messages.copied),
  });
  return (
    <>
      {copying.error && <Failure error={copying.error} />}
      <Button onClick={() => copying.mutate(curl)}>{messages.copyAsCurl}</Button>
      {mcp !== undefined && <Button onClick={() => copying.mutate(mcp)}>{messages.copyAsMcp}</Button>}
      {mcp === undefined && whyNoMcp !== undefined && <span className={look.small}>{whyNoMcp}</span>}
    </>
  );
}
