import { useEffect, useRef, useState } from 'react';
import styles from './foreign-html.module.css';

/** The frame follows the theme of the page. */
const frameStyle = ':root { color-scheme: light dark } body { color: light-dark(#1b2027, #e6eaf0) }';

interface FrameMessage {
  readonly type?: unknown;
  readonly height?: unknown;
  readonly href?: unknown;
}

/**
 * HTML that is not ours: of an action, of a form, of a note. It is shown in a document of its own, which has no origin, no cookie and no
 * way to this page. It tells its height and the links that somebody clicks, and nothing else.
 */
export function ForeignHtml({ html }: { readonly html: string }) {
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(40);
  useEffect(() => {
    const show = () => frame.current?.contentWindow?.postMessage({ html, style: frameStyle }, '*');
    const hear = ({ source, data }: MessageEvent<FrameMessage | null>) => {
      if (source !== frame.current?.contentWindow) return;
      if (data?.type === 'ready') show();
      else if (data?.type === 'height') setHeight(Math.min(Math.max(Number(data.height) || 0, 20), 2_000));
      else if (data?.type === 'link') openLink(data.href);
    };
    addEventListener('message', hear);
    show();
    return () => removeEventListener('message', hear);
  }, [html]);
  return (
    <iframe
      ref={frame}
      src="/frame"
      sandbox="allow-scripts"
      title="HTML of the project"
      className={styles['frame']}
      style={{ height }}
    />
  );
}

/** Only addresses of the web are opened, in a page that knows nothing of this one. */
function openLink(href: unknown): void {
  if (typeof href === 'string' && /^https?:\/\//i.test(href)) open(href, '_blank', 'noopener,noreferrer');
}
