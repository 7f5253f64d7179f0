import type { PromptBlock, PromptImage, Session } from "../sdk.js";

/** An image that goes with the prompt. */
export interface Attachment {
  id: number;
  name: string;
  mime: PromptImage["mime"];
  bytes: Uint8Array;
  /** For its preview. */
  url: string;
}

const types: readonly string[] = ["image/png", "image/jpeg", "image/gif", "image/webp"];
/** Images up to this size are sent in the prompt, larger ones as blobs before it, in bytes. */
const mostInPrompt = 1 << 20;
const largest = 32 << 20;
let last = 0;

/** Returns an attachment, or throws why a file cannot be one. */
export async function readAttachment(file: File): Promise<Attachment> {
  if (!types.includes(file.type)) {
    throw new Error(`${file.name}: only PNG, JPEG, GIF and WebP images can be attached`);
  }
  if (file.size > largest) {
    throw new Error(`${file.name} is larger than 32 MiB`);
  }
  const bytes = new Uint8Array(await file.arrayBuffer());
  return { id: ++last, name: file.name, mime: file.type as PromptImage["mime"], bytes, url: URL.createObjectURL(file) };
}

/** Returns the blocks of a prompt. */
export async function promptBlocks(session: Session, text: string, attachments: Attachment[]): Promise<PromptBlock[]> {
  const blocks: PromptBlock[] = text.trim() === "" ? [] : [{ kind: "text", text }];
  for (const { name, mime, bytes } of attachments) {
    const data = toBase64(bytes);
    if (bytes.length <= mostInPrompt) {
      blocks.push({ kind: "image", image: { mime, data, name } });
    } else {
      const { address } = await session.request("session/put_blob", { data });
      blocks.push({ kind: "image", image: { mime, blob: address, name } });
    }
  }
  return blocks;
}

function toBase64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
