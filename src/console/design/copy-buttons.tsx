import { useMessages } from '../messages/index.ts';
import { Button } from './controls.tsx';
import { toast } from './toasts.tsx';

interface CopyButtonsProps {
  readonly curl: string;
  /** Absent where no tool of MCP does the same. */
  readonly mcp?: string | undefined;
}

/** Copies what the screen does, for a shell and for an assistant. */
export function CopyButtons({ curl, mcp }: CopyButtonsProps) {
  const messages = useMessages();
  const copy = async (text: string) => {
    await navigator.clipboard.writeText(text);
    toast(messages.copied);
  };
  return (
    <>
      <Button onClick={() => void copy(curl)}>{messages.copyAsCurl}</Button>
      {mcp !== undefined && <Button onClick={() => void copy(mcp)}>{messages.copyAsMcp}</Button>}
    </>
  );
}
