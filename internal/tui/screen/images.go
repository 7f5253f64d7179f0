package screen

import (
	"context"

	tea "charm.land/bubbletea/v2"
)

// loadImages reads the images that the last frame wanted.
func (m *Model) loadImages() tea.Cmd {
	session := m.session
	var cmds []tea.Cmd
	for _, address := range m.gallery.Wanted() {
		cmds = append(cmds, request(m, func(ctx context.Context, h Host) ([]byte, error) { return h.Blob(ctx, session, address) },
			func(m *Model, data []byte, err error) tea.Cmd {
				if err != nil {
					return nil // the line in its place stays
				}
				// The address is that of the content, so the image is added also if the session is another one now.
				sequences := m.gallery.Add(address, data)
				m.setTheme(m.theme) // draws all anew
				if sequences == "" {
					return nil
				}
				return tea.Raw(sequences)
			}))
	}
	return tea.Batch(cmds...)
}

// closeImages returns a command that removes the images from the terminal; nil: there are none.
func (m *Model) closeImages() tea.Cmd {
	if sequences := m.gallery.Close(); sequences != "" {
		return tea.Raw(sequences)
	}
	return nil
}
