import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import type { Image } from "../sdk.js";
import { useSession } from "../session/context.js";

const types = ["image/png", "image/jpeg", "image/gif", "image/webp"];

/** An image of the session, from its record or its blob. */
export function SessionImage({ image }: { image: Image }): JSX.Element {
  const store = useSession();
  const [url, setUrl] = useState("");
  const [failed, setFailed] = useState(false);
  const name = image.name || "Image";

  useEffect(() => {
    let made = "";
    let gone = false;
    const show = (bytes: BlobPart) => {
      if (!gone && types.includes(image.mime)) {
        made = URL.createObjectURL(new Blob([bytes], { type: image.mime }));
        setUrl(made);
      }
    };
    if (image.data) {
      show(Uint8Array.from(atob(image.data), (c) => c.charCodeAt(0)));
    } else if (image.blob) {
      store.session.blob(image.blob).then(
        (bytes) => show(bytes as Uint8Array<ArrayBuffer>),
        () => setFailed(true),
      );
    }
    return () => {
      gone = true;
      if (made !== "") {
        URL.revokeObjectURL(made);
      }
    };
  }, [store, image.data, image.blob]);

  if (url === "" || failed) {
    return <span class="image-missing">{failed ? `${name} cannot be shown` : name}</span>;
  }
  return <img class="image" src={url} alt={name} onError={() => setFailed(true)} />;
}
