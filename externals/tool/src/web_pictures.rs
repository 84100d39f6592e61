//! The pictures of a running world for a browser.

use astrarium::presenter::{PictureInput, Presenter, Viewpoint, bulk_of, scene_of};
use astrarium::publication::Publication;
use astrarium::screenshot;
use render::Renderer;
use render::software::SoftwareRenderer;

use crate::renderers::threads;
use crate::web::PictureSource;

/// The size of pictures for a browser.
const SIZE: [u32; 2] = [640, 360];

/// Draws pictures for a browser, one at a time.
pub struct WebPictures {
    presenter: Presenter,
    renderer: SoftwareRenderer,
    /// The last picture, and the moment it shows.
    last: Option<((u32, u64), Vec<u8>)>,
}

impl WebPictures {
    /// Pictures from a viewpoint.
    pub fn new(viewpoint: Viewpoint) -> WebPictures {
        let renderer = SoftwareRenderer::new(threads().min(2));
        WebPictures { presenter: Presenter::new(viewpoint), renderer, last: None }
    }
}

impl PictureSource for WebPictures {
    fn picture(&mut self, publication: &Publication) -> Option<Vec<u8>> {
        let moment = publication.frame.moment;
        let now = (moment.epoch, moment.cycle);
        if let Some((_, bytes)) = self.last.as_ref().filter(|(of, _)| *of == now && self.renderer.loading() == 0) {
            return Some(bytes.clone());
        }
        let bulk = bulk_of(publication)?;
        let scene = scene_of(publication, &bulk, publication.at_nanos);
        let input = PictureInput { seconds: 0.2, aspect: SIZE[0] as f32 / SIZE[1] as f32, ..PictureInput::default() };
        self.presenter.advance(&scene, &input);
        self.presenter.draw(&scene, SIZE, &mut self.renderer).ok()?;
        let bytes = screenshot::encode(&self.renderer.read_pixels().ok()?).ok()?;
        self.last = Some((now, bytes.clone()));
        Some(bytes)
    }
}
