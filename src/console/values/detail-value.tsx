import { useEffect, useState } from 'react';
import { Button, look } from '../design/controls.tsx';
import { useMessages } from '../messages/index.ts';
import type { VisibleField } from '../model/schema.ts';
import { zone } from '../wire/agent.ts';
import styles from './detail-value.module.css';
import { fieldTypeOf } from './field-type.ts';
import { type FileContent, isPicture, readDataUri, sizeText } from './file-content.ts';
import { textOf } from './text-of.ts';
import { editableText } from './typed.ts';
import { FieldValue } from './value.tsx';

interface DetailValueProps {
  readonly value: unknown;
  readonly field: VisibleField;
}

/** A value with the room of a screen: files, points and links as what they are, and long texts whole when somebody opens them. */
export function DetailValue({ value, field }: DetailValueProps) {
  const [isOpen, setOpen] = useState(false);
  const messages = useMessages();
  if (typeof value === 'string') {
    const file = value.startsWith('data:') ? readDataUri(value) : undefined;
    if (file) return <FileView file={file} />;
    if (/^https?:\/\/[^\s]+$/.test(value) && value.length < 2_000) return <WebLink address={value} />;
  }
  const place = fieldTypeOf(field.type) === 'Point' ? placeOf(value) : undefined;
  if (place) {
    return (
      <>
        <FieldValue value={value} field={field} /> <PointPicture place={place} />
      </>
    );
  }
  const { isCut } = textOf(value, field.type, zone());
  if (!isCut) return <FieldValue value={value} field={field} />;
  const whole = editableText(value, field, zone());
  return (
    <>
      {isOpen ? <pre className={styles['whole']}>{whole}</pre> : <FieldValue value={value} field={field} />}{' '}
      <Button look="quiet" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? messages.showLess : messages.showWhole(sizeText(new Blob([whole]).size, messages.code))}
      </Button>
    </>
  );
}

/** An address of a file or a page elsewhere. Nothing of it is loaded here, and it learns nothing of this page. */
function WebLink({ address }: { readonly address: string }) {
  return (
    <a href={address} target="_blank" rel="noopener noreferrer">
      <bdi>{address}</bdi>
    </a>
  );
}

/** A file by what its bytes are: a picture, a PDF that a tab of its own shows, or something to save. */
function FileView({ file }: { readonly file: FileContent }) {
  const messages = useMessages();
  const { bytes, type, name } = file;
  const address = useBlobAddress(file);
  if (address === undefined) return null;
  return (
    <>
      {isPicture(type) && <img className={styles['picture']} src={address} alt={name} />}
      <span className={look.row}>
        <a href={address} download={name}>
          {messages.saveFile(name)}
        </a>
        {type === 'application/pdf' && (
          <a href={address} target="_blank" rel="noopener noreferrer">
            {messages.openPdf}
          </a>
        )}
        <span className={look.small}>
          {type} · {sizeText(bytes.length, messages.code)}
        </span>
      </span>
    </>
  );
}

function useBlobAddress({ bytes, type }: FileContent): string | undefined {
  const [address, setAddress] = useState<string>();
  // biome-ignore lint/correctness/useExhaustiveDependencies: every draw reads the same bytes again
  useEffect(() => {
    const made = URL.createObjectURL(new Blob([bytes], { type }));
    setAddress(made);
    return () => URL.revokeObjectURL(made);
  }, [bytes.length, type]);
  return address;
}

type Place = readonly [latitude: number, longitude: number];

/** Points of the earth, `48.85,2.35`, have a latitude and a longitude; others are numbers only. */
function placeOf(value: unknown): Place | undefined {
  const [latitude = Number.NaN, longitude = Number.NaN] = String(value).split(',').map(Number);
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? [latitude, longitude] : undefined;
}

/** Where a point is between the poles: a picture of our own, because a map would come from elsewhere. */
function PointPicture({ place: [latitude, longitude] }: { readonly place: Place }) {
  return (
    <svg className={styles['world']} viewBox="-180 -90 360 180" aria-hidden="true">
      <rect x="-180" y="-90" width="360" height="180" />
      {[-60, -30, 0, 30, 60].map((y) => (
        <line key={y} x1="-180" x2="180" y1={y} y2={y} />
      ))}
      {[-120, -60, 0, 60, 120].map((x) => (
        <line key={x} x1={x} x2={x} y1="-90" y2="90" />
      ))}
      <circle cx={longitude} cy={-latitude} r="6" />
    </svg>
  );
}
